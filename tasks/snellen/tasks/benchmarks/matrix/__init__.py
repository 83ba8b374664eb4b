"""The matrix of four dimensions by four levels."""
