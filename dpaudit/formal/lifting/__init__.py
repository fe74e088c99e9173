"""Parts of `dpaudit.formal.lift`, in the order of their imports.

source -> canonical -> known -> draws -> scope -> resolve -> expressions, calls -> statements;
rewriting -> uniforms -> laws -> choosing, selecting -> lowering (of lifted bodies)
"""
