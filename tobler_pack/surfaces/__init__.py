"""Surfaces: the places where packs are pushed, their dials, what moved them and what they did."""
