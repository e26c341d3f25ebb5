//! Arithmetic with packed signs: a set bit is $-1$, a clear bit $+1$, coordinate $i$ is bit $i \bmod 64$
//! of word $\lfloor i/64\rfloor$.

/// Directions whose sums share one table.
const GROUP: usize = 8;
/// Groups whose tables are in use together; 2 KB each, half of a small first-level cache.
const GROUPS: usize = 8;
/// Words handled side by side: two fill a 128-bit register.
const LANES: usize = 2;
/// Coordinates handled together.
const BLOCK: usize = 64 * LANES;

/// What a nibble of signs makes of four coordinates; aligned, so that an addition can read it from memory.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Four<T>([T; 4]);

/// For each nibble its four sign bits, each in the place where an `f64` has its own.
static SIGN_BITS: [Four<u64>; 16] = {
    let mut table = [Four([0; 4]); 16];
    let mut entry = 0;
    while entry < 64 {
        let (nibble, bit) = (entry / 4, entry % 4);
        table[nibble].0[bit] = ((nibble as u64 >> bit) & 1) << 63;
        entry += 1;
    }
    table
};

/// Words that hold `dim` signs.
pub(super) fn words(dim: usize) -> usize {
    dim.div_ceil(64)
}

/// $x_\text{out} = x + c\thinspace u$, where `word(w)` holds 64 signs of $u$.
///
/// The 16 possible steps of four coordinates are put into a table first.
pub(super) fn write(word: impl Fn(usize) -> u64, base: &[f64], scale: f64, out: &mut [f64]) {
    let steps = SIGN_BITS.map(|Four(signs)| Four(signs.map(|sign| flip(scale, sign))));
    map(&steps, word, base, out, |_, x, step| x + step);
}

/// $g \mathrel{+}= s \odot x$, where `word(w)` holds 64 signs of $s$.
pub(super) fn add_signed(word: impl Fn(usize) -> u64, x: &[f64], g: &mut [f64]) {
    map(&SIGN_BITS, word, x, g, |g, x, sign| g + flip(x, sign));
}

/// $g \mathrel{+}= \sum_j c_j u_j$, where `fetch(j, w, words)` gives the words from $w$ on of the signs of $u_j$.
///
/// Eight directions at a time: their signed sums have only 256 values, which are put into a table, and
/// each coordinate adds the entry that its eight signs name. The order of additions depends on the
/// number of coefficients alone.
pub(super) fn accumulate(fetch: impl Fn(usize, usize, &mut [u64]), coefficients: &[f64], g: &mut [f64]) {
    let mut tables = [[0.0; 256]; GROUPS];
    for (batch, coefficients) in coefficients.chunks(GROUP * GROUPS).enumerate() {
        let first = batch * GROUP * GROUPS;
        let rows = coefficients.len();
        let tables = &mut tables[..rows.div_ceil(GROUP)];
        for (table, coefficients) in tables.iter_mut().zip(coefficients.chunks(GROUP)) {
            signed_sums(coefficients, table);
        }
        let (blocks, rest) = g.as_chunks_mut();
        let full = blocks.len() * LANES;
        for (block, g) in blocks.iter_mut().enumerate() {
            add_block(|row, lanes| fetch(first + row, block * LANES, lanes), rows, tables, g);
        }
        if !rest.is_empty() {
            let mut padded = [0.0; BLOCK];
            padded[..rest.len()].copy_from_slice(rest);
            let words = words(rest.len());
            add_block(|row, lanes| fetch(first + row, full, &mut lanes[..words]), rows, tables, &mut padded);
            rest.copy_from_slice(&padded[..rest.len()]);
        }
    }
}

fn flip(value: f64, sign: u64) -> f64 {
    f64::from_bits(value.to_bits() ^ sign)
}

/// `out = f(out, x, entry)` in every coordinate, with the entry that the nibbles of signs find in the table.
#[inline(always)]
#[expect(clippy::inline_always, reason = "the closures must end up in the innermost loop")]
fn map<T: Copy>(
    table: &[Four<T>; 16],
    word: impl Fn(usize) -> u64,
    x: &[f64],
    out: &mut [f64],
    f: impl Fn(f64, f64, T) -> f64,
) {
    let (outs, out_rest) = out.as_chunks_mut::<64>();
    let (xs, x_rest) = x.as_chunks::<64>();
    let full = outs.len();
    for (w, (out, x)) in outs.iter_mut().zip(xs).enumerate() {
        map_word(table, word(w), x, out, &f);
    }
    if !out_rest.is_empty() {
        map_word(table, word(full), x_rest, out_rest, &f);
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "for 64 coordinates the remainder must vanish at compile time")]
fn map_word<T: Copy>(
    table: &[Four<T>; 16],
    mut word: u64,
    x: &[f64],
    out: &mut [f64],
    f: impl Fn(f64, f64, T) -> f64,
) {
    let (outs, out_rest) = out.as_chunks_mut::<4>();
    let (xs, x_rest) = x.as_chunks::<4>();
    for (out, x) in outs.iter_mut().zip(xs) {
        let Four(entries) = &table[(word & 15) as usize];
        word >>= 4;
        for ((out, x), entry) in out.iter_mut().zip(x).zip(entries) {
            *out = f(*out, *x, *entry);
        }
    }
    let Four(entries) = &table[(word & 15) as usize];
    for ((out, x), entry) in out_rest.iter_mut().zip(x_rest).zip(entries) {
        *out = f(*out, *x, *entry);
    }
}

/// Sets entry $b$ to $\sum_k \pm c_k$ with a minus where bit $k$ of $b$ is set.
fn signed_sums(coefficients: &[f64], table: &mut [f64; 256]) {
    let mut c = [0.0; GROUP];
    c[..coefficients.len()].copy_from_slice(coefficients);
    let low = signed_sums_of_four([c[0], c[1], c[2], c[3]]);
    let high = signed_sums_of_four([c[4], c[5], c[6], c[7]]);
    let (rows, _) = table.as_chunks_mut::<16>();
    for (row, high) in rows.iter_mut().zip(high) {
        for (entry, low) in row.iter_mut().zip(low) {
            *entry = low + high;
        }
    }
}

fn signed_sums_of_four([a, b, c, d]: [f64; 4]) -> [f64; 16] {
    let first = [a + b, b - a, a - b, -a - b];
    let second = [c + d, d - c, c - d, -c - d];
    let mut sums = [0.0; 16];
    for (nibble, sum) in sums.iter_mut().enumerate() {
        *sum = first[nibble % 4] + second[nibble / 4];
    }
    sums
}

/// Adds what all tables say to one block of coordinates.
fn add_block(
    fetch: impl Fn(usize, &mut [u64; LANES]),
    rows: usize,
    tables: &[[f64; 256]],
    g: &mut [f64; BLOCK],
) {
    let mut indices = [[[0; LANES]; GROUP]; GROUPS];
    for (row, lanes) in indices.as_flattened_mut()[..rows].iter_mut().enumerate() {
        fetch(row, lanes);
    }
    let groups = &mut indices[..tables.len()];
    groups.iter_mut().for_each(transpose);
    let (g, _) = g.as_chunks_mut::<64>();
    for (lane, g) in g.iter_mut().enumerate() {
        let (g, _) = g.as_chunks_mut::<GROUP>();
        for k in 0..GROUP {
            let mut sums = [0.0; 8];
            for (table, indices) in tables.iter().zip(&*groups) {
                for (sum, index) in sums.iter_mut().zip(indices[k][lane].to_le_bytes()) {
                    *sum += table[usize::from(index)];
                }
            }
            for (g, sum) in g.iter_mut().zip(sums) {
                g[k] += sum;
            }
        }
    }
}

/// Turns eight words of signs of one direction each into eight words of table indices:
/// byte $b$ of word $k$ then holds the eight signs of coordinate $8b + k$.
///
/// Three rounds exchange blocks of 4, 2 and 1 bits across the diagonal
/// (Warren, Hacker's Delight, "Transposing a bit matrix"), in all lanes at once.
fn transpose(x: &mut [[u64; LANES]; GROUP]) {
    for (width, mask) in
        [(4, 0x0f0f_0f0f_0f0f_0f0f), (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555_u64)]
    {
        for pair in x.chunks_exact_mut(2 * width) {
            let (upper, lower) = pair.split_at_mut(width);
            for (a, b) in upper.as_flattened_mut().iter_mut().zip(lower.as_flattened_mut()) {
                let moved = ((*a >> width) ^ *b) & mask;
                *b ^= moved;
                *a ^= moved << width;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_moves_each_sign_to_its_place() {
        for (k, i) in [(0, 0), (3, 17), (7, 63), (5, 8)] {
            let mut x = [[0; LANES]; GROUP];
            x[k][1] = 1 << i;
            transpose(&mut x);
            let mut expected = [[0; LANES]; GROUP];
            expected[i % 8][1] = 1 << (i / 8 * 8 + k);
            assert_eq!(x, expected);
        }
    }

    #[test]
    fn the_table_holds_every_signed_sum() {
        let c = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
        let mut table = [0.0; 256];
        signed_sums(&c, &mut table);
        assert_eq!(table[0], 127.0);
        assert_eq!(table[0b101], 127.0 - 2.0 - 8.0);
        assert_eq!(table[0b0111_1111], -127.0);
        assert_eq!(table[0b1000_0000], 127.0);
    }
}
