"""Claims."""
CLAIMS = ()
