"""Recomputes the history of an Affine network from its chain and its buckets."""
