"""Parts of `dpaudit.formal.lift`, in the order of their imports.

definitions, rows_of_displays (library functions by others); desugared, cells, displays ->
named_displays -> display_loops -> mangled -> source -> canonical -> known -> draws -> scope ->
resolve -> containers -> folding (partial, enumerations) -> numbers -> tensors (tensor_calls,
tensor_makers: names of PyTorch) -> expressions, calls -> implicit ->
catching, managers, entered, inner_classes -> statements (raising: handlers of one known operation);
array_uses, makers -> only_read, sharing: what a module changes; rewriting -> copying -> helpers ->
separate_calls -> scalar_replacement, generator_loops; frozen, rejecting, shared_tails; uniforms ->
laws -> choosing, selecting, best_index, stored_limits -> lowering (of lifted bodies);
clipping_factors; limits -> typed (where arguments are known)
"""
