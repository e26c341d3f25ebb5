//! The generalised projection $\argmin_{y\in K} \langle g, y\rangle + r(y) + \eta B_\varphi(y, x)$, exactly.
