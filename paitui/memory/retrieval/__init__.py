"""Which memories a text calls for: two lexical rankers fused, the baseline they are measured against, the choice."""
