"""What travels and is stored: frozen, closed models; behaviour lives in functions over them."""
