"""All-gather at the bandwidth bound: spanning trees packed into any network."""
