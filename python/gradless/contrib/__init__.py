"""Attacks for other packages: ``gradless.contrib.art`` and ``gradless.contrib.foolbox``. Each needs its package, and imports it."""
