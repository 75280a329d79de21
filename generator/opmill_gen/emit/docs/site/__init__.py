"""The manual that Sphinx builds: a page for each published version, filters, any two versions."""
