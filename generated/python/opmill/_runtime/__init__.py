"""What every operator's module stands on: errors, types, schemas, calls and backends."""
