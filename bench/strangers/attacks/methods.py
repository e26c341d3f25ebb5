"""Every attack that is measured, by name: what it sees of the network, and how it is run."""

import brusle
import corner_search
import sparse_rs

FIRST = {"mnist": 64, "cifar10": 24}


def scored(data):
    """Attacks that see scores."""
    import art_peers
    import ours

    k = FIRST[data]
    found = dict(ours.OURS)
    for unit in ["pixels"] if data == "mnist" else ["pixels", "numbers"]:
        found[f"Sparse-RS {unit}"] = sparse_rs.descending(unit, k)
        found[f"BruSLe {unit}"] = brusle.descending(unit, k)
        found[f"CornerSearch {unit}"] = corner_search.corner_search(unit)
    labels_only = {"ART HopSkipJump l2", "ART SignOPT"}
    found |= {name: attack for name, attack in art_peers.PEERS.items() if name not in labels_only}
    return found


def labelled():
    """Attacks that see labels alone."""
    import art_peers
    import foolbox_peers
    import ours

    found = dict(ours.LABELS)
    found |= foolbox_peers.PEERS
    found |= {name: art_peers.PEERS[name] for name in ["ART HopSkipJump l2", "ART SignOPT"]}
    return found


def all_of(data):
    """Name, attack, and whether it sees labels alone."""
    return {name: (attack, False) for name, attack in scored(data).items()} | {
        name: (attack, True) for name, attack in labelled().items()
    }
