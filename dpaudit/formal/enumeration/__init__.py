"""Parts of `dpaudit.formal.exact`, in the order of their imports.

numbers -> noise -> paths -> arrays -> library -> interpreter -> measures -> divergence -> domains
"""
