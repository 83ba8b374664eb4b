"""Pure judgement: values in, scores out; no file, no network, no clock."""
