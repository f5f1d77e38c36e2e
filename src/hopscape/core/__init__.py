"""The four nouns: Network, Router, Schedule, Verdict; no family inside."""
