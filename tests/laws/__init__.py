"""What holds for every measure in the catalogue; nothing here names one."""
