"""The networks of MLPerf Tiny, compiled to C: sizes and instructions on a Cortex-M7, times here."""
