"""How the documentation becomes a site (`make site`)."""
