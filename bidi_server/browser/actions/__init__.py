"""Actions on a page with pointer, keyboard and files, and the receipt of their effects."""
