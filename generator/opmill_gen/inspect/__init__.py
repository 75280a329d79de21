"""What list, show and diff print."""
