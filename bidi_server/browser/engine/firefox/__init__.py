"""What Firefox does in its own way."""
