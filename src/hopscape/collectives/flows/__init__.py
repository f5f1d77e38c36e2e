"""All-to-all by flows: bounds and routes near them, on any network."""
