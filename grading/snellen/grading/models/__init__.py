"""What travels and is stored: frozen, closed models; behavior lives in functions over them."""
