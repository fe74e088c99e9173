"""Parts of `dpaudit.formal.lift`, in the order of their imports.

definitions (of library functions by others); desugared, cells -> mangled -> source -> canonical ->
known -> draws -> scope -> resolve -> containers -> folding (partial, enumerations) -> expressions,
calls -> implicit -> catching, managers, inner_classes -> statements (raising: handlers of one known
operation); only_read, sharing: what a module changes; rewriting -> copying -> helpers ->
scalar_replacement, generator_loops; frozen, rejecting; uniforms -> laws -> choosing, selecting,
best_index, stored_limits -> lowering (of lifted bodies); clipping_factors; limits -> typed (where
arguments are known)
"""
