"""How a stated derivation is read and checked."""
