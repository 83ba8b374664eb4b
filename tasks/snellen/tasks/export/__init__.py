"""Exporting packs for fine-tuning: chats with pictures, and the reference as what is answered."""
