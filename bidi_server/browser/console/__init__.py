"""Console messages and script errors, as text."""
