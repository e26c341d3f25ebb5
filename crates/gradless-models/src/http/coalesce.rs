//! The head of a request and its body in one piece, so that the service is woken once.

use ureq::Error;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

/// A piece of more bytes is not the head alone.
const LONGEST_HEAD: usize = 8 << 10;

/// Wraps every connection.
#[derive(Debug)]
pub(super) struct Coalescing;

impl<T: Transport> Connector<T> for Coalescing {
    type Out = Coalesced<T>;

    fn connect(&self, _: &ConnectionDetails<'_>, chained: Option<T>) -> Result<Option<Self::Out>, Error> {
        Ok(chained.map(|inner| Coalesced { inner, held: Vec::new(), is_fresh: false }))
    }
}

/// Holds the first short piece back until there is another, or until an answer is waited for.
#[derive(Debug)]
pub(super) struct Coalesced<T> {
    inner: T,
    held: Vec<u8>,
    /// Something was received, and nobody has asked since whether the connection is open.
    is_fresh: bool,
}

impl<T: Transport> Coalesced<T> {
    /// Sends what is held back.
    fn flush(&mut self, timeout: NextTimeout) -> Result<(), Error> {
        let length = self.held.len();
        if length == 0 {
            return Ok(());
        }
        self.inner.buffers().output()[..length].copy_from_slice(&self.held);
        self.held.clear();
        self.inner.transmit_output(length, timeout)
    }
}

impl<T: Transport> Transport for Coalesced<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        let output = self.inner.buffers().output();
        let (length, room) = (self.held.len(), output.len());
        if length == 0 && amount <= LONGEST_HEAD {
            self.held.extend_from_slice(&output[..amount]);
            return Ok(());
        }
        if length + amount <= room {
            output.copy_within(..amount, length);
            output[..length].copy_from_slice(&self.held);
            self.held.clear();
            return self.inner.transmit_output(length + amount, timeout);
        }
        let piece = output[..amount].to_vec();
        self.flush(timeout)?;
        self.inner.buffers().output()[..amount].copy_from_slice(&piece);
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.flush(timeout)?;
        self.is_fresh = self.inner.await_input(timeout)?;
        Ok(self.is_fresh)
    }

    fn is_open(&mut self) -> bool {
        // The library asks when it puts a connection away and again when it takes it out. The first time is three calls of the
        // system for nothing: what happens in between counts.
        std::mem::take(&mut self.is_fresh) || self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

#[cfg(test)]
mod tests {
    use ureq::unversioned::transport::LazyBuffers;

    use super::*;

    /// Keeps the pieces it is given.
    #[derive(Debug)]
    struct Pieces {
        buffers: LazyBuffers,
        sent: Vec<Vec<u8>>,
    }

    impl Transport for Pieces {
        fn buffers(&mut self) -> &mut dyn Buffers {
            &mut self.buffers
        }

        fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), Error> {
            let piece = self.buffers.output()[..amount].to_vec();
            self.sent.push(piece);
            Ok(())
        }

        fn await_input(&mut self, _: NextTimeout) -> Result<bool, Error> {
            Ok(true)
        }

        fn is_open(&mut self) -> bool {
            true
        }
    }

    /// The pieces in which these are sent.
    fn sent(pieces: &[&[u8]]) -> Vec<Vec<u8>> {
        let timeout = NextTimeout::default();
        let inner = Pieces { buffers: LazyBuffers::new(16, 16 << 10), sent: Vec::new() };
        let mut transport = Coalesced { inner, held: Vec::new(), is_fresh: false };
        for piece in pieces {
            transport.buffers().output()[..piece.len()].copy_from_slice(piece);
            assert!(transport.transmit_output(piece.len(), timeout).is_ok());
        }
        assert!(matches!(transport.await_input(timeout), Ok(true)));
        assert!(transport.held.is_empty());
        transport.inner.sent
    }

    #[test]
    fn head_and_body_go_together_and_every_byte_in_its_order() {
        assert_eq!(sent(&[b"head ", b"body"]), [b"head body"]);
        assert_eq!(sent(&[b"head"]), [b"head"]);
        assert_eq!(sent(&[b"a", b"b", b"c"]), [b"ab".to_vec(), b"c".to_vec()]);
        let long = vec![b'x'; 16 << 10];
        assert_eq!(sent(&[b"head", &long, &long]), [b"head".to_vec(), long.clone(), long.clone()]);
        assert_eq!(sent(&[&long, b"end"]), [long, b"end".to_vec()]);
    }
}
