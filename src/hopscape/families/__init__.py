"""One room per family of networks; each is registered as an entry point."""
