"""Runtime of all operator modules: errors, types, schemas, calls and backends."""
