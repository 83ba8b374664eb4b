"""Interactive tasks: the interface of an application, what agents may do, and its page's stage."""
