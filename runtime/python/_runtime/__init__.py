"""What every operator's module uses: errors, types, schemas, calls and backends."""
