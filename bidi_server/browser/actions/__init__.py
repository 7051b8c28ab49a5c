"""What is done to a page with pointer, keys and files, and the receipt of it."""
