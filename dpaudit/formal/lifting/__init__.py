"""Parts of `dpaudit.formal.lift`, in the order of their imports.

desugared, cells -> mangled -> source -> canonical -> known -> draws -> scope -> resolve ->
containers -> expressions, calls -> implicit -> catching, managers, inner_classes -> statements
(raising: handlers of one known operation); only_read, sharing: what a module changes;
rewriting -> copying -> helpers -> generator_loops; frozen, rejecting; uniforms -> laws -> choosing,
selecting, best_index, untied, stored_limits -> lowering (of lifted bodies); limits, texts -> typed
(where arguments are known)
"""
