"""``python -m opmill_gen`` is the command line ``opmill``."""

from opmill_gen.cli.main import main

main(prog_name="opmill")
