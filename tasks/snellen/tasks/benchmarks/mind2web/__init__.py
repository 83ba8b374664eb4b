"""Multimodal-Mind2Web: the next operation on a page, and the element that it is for."""
