"""``python -m benchmarks.estimators``; see the package."""

from __future__ import annotations

import re
import warnings
from functools import partial

import click

from benchmarks.estimators import boosted, scikit
from benchmarks.estimators.compare import Row, compare
from benchmarks.estimators.trained import Trained


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--match", default="", help="A regular expression; only estimators whose names it matches."
)
def main(match: str) -> None:
    """Compare opmill, onnxruntime and the libraries that trained the estimators."""
    warnings.simplefilter("ignore")
    rows: list[Row] = []
    click.echo("estimator | nodes | trainer | onnxruntime | NumPy | onnxruntime to trainer")
    for train in (*boosted.all_trained(), *scikit.all_trained()):
        if not re.search(match, _name(train)):
            continue
        try:
            trained = train()
        except Exception as error:  # of the training library
            click.echo(f"{_name(train)} | not trained: {error}".splitlines()[0])
            continue
        for zipmap in (True, False) if trained.has_zipmap else (False,):
            rows.append(compare(trained, zipmap))
            click.echo(_line(rows[-1]))
    compared = [row for row in rows if not row.error.startswith("not compared")]
    wrong = [row.name for row in compared if not row.agrees]
    click.echo(f"{len(compared)} compared, {len(compared) - len(wrong)} agree with onnxruntime")
    if wrong:
        raise click.ClickException("; ".join(wrong))


def _name(train: partial[Trained]) -> str:
    """The name of an estimator before it is trained."""
    return str(train.args[0])


def _line(row: Row) -> str:
    if row.error:
        return f"{row.name} | {row.nodes} | {row.error}"
    figures = (row.trainer, row.runtime, row.numpy, row.runtime_to_trainer)
    return " | ".join([row.name, str(row.nodes), *(f"{figure:.1e}" for figure in figures)])


if __name__ == "__main__":
    main()
