"""Audits of machine labels: may they replace those of people?"""
