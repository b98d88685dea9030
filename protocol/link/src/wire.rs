//! The codecs of bodies: the only file that knows bincode, so that leaving it is a change of one default
//! (supervision spec C1). Nothing encoded here is ever written to disk.

use crate::Error;
use serde::{Serialize, de::DeserializeOwned};

/// Most bytes that a decoder may claim for one value: a frame cannot hold more.
const CLAIM_MAX: usize = protocol::limits::FRAME_MAX;

/// How bodies are encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Codec {
    /// Between processes of one build.
    Bincode = 1,
    /// The way out, should bincode have to go (RUSTSEC-2025-0141): same types, same tests.
    Postcard = 2,
    /// On the named sockets, where old clients meet new daemons.
    Json = 3,
}

impl Codec {
    /// What the processes of this build speak among themselves.
    pub const INTERNAL: Self = Self::Bincode;

    const fn name(self) -> &'static str {
        match self {
            Self::Bincode => "bincode",
            Self::Postcard => "postcard",
            Self::Json => "json",
        }
    }

    /// Encodes a body.
    ///
    /// # Errors
    /// [`Error::Encode`] when the codec refuses the value, which only a programming error brings about.
    pub fn encode<T: Serialize>(self, value: &T) -> Result<Vec<u8>, Error> {
        let fault = |why: String| Error::Encode { codec: self.name(), why };
        match self {
            Self::Bincode => bincode::serde::encode_to_vec(value, bincode::config::standard())
                .map_err(|error| fault(error.to_string())),
            Self::Postcard => postcard::to_stdvec(value).map_err(|error| fault(error.to_string())),
            Self::Json => serde_json::to_vec(value).map_err(|error| fault(error.to_string())),
        }
    }

    /// Decodes a body that fills the slice exactly.
    ///
    /// # Errors
    /// [`Error::Decode`] when it does not decode, [`Error::Trailing`] when bytes are left over: a newer sender's
    /// extra field must not be dropped in silence.
    pub fn decode<T: DeserializeOwned>(self, bytes: &[u8]) -> Result<T, Error> {
        let fault = |why: String| Error::Decode { codec: self.name(), why };
        let (value, used) = match self {
            Self::Bincode => bincode::serde::decode_from_slice(
                bytes,
                bincode::config::standard().with_limit::<CLAIM_MAX>(),
            )
            .map_err(|error| fault(error.to_string()))?,
            Self::Postcard => {
                let (value, rest) =
                    postcard::take_from_bytes(bytes).map_err(|error| fault(error.to_string()))?;
                (value, bytes.len() - rest.len())
            }
            Self::Json => {
                let value = serde_json::from_slice(bytes).map_err(|error| fault(error.to_string()))?;
                (value, bytes.len())
            }
        };
        if used == bytes.len() { Ok(value) } else { Err(Error::Trailing { left: bytes.len() - used }) }
    }
}

impl TryFrom<u8> for Codec {
    type Error = Error;

    fn try_from(number: u8) -> Result<Self, Error> {
        [Self::Bincode, Self::Postcard, Self::Json]
            .into_iter()
            .find(|codec| *codec as u8 == number)
            .ok_or(Error::UnknownCodec(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use protocol::{
        change::{ChangeRequest, Changed},
        id::{Name, TurnKey, WallMs},
        label::Labeled,
        lifecycle::{Hello, Nack, Welcome},
        outcome::{End, Outcome},
        proposal::{Proposal, Step, Then, examples},
        recall::{Clock, Day, Recalled},
        role::Role,
        stimulus::{Admit, Event, Principal, Stimulus},
    };

    const CODECS: [Codec; 3] = [Codec::Bincode, Codec::Postcard, Codec::Json];

    fn there_and_back<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
        for codec in CODECS {
            let bytes = codec.encode(value).unwrap();
            assert_eq!(&codec.decode::<T>(&bytes).unwrap(), value, "{codec:?}");
        }
    }

    #[test]
    fn every_codec_carries_every_action() {
        for action in examples() {
            let proposal = Proposal {
                turn: TurnKey::from_bytes([3; 16]),
                depth: 1,
                conversation: Name::new("local:default").unwrap(),
                principal: Principal::Owner,
                at: WallMs(-1),
                explanation: "ünïcödé reason".into(),
                steps: vec![Step { action, then: Then::Answer }],
            };
            there_and_back(&proposal);
        }
    }

    #[test]
    fn every_codec_carries_the_words_of_the_path() {
        there_and_back(&Stimulus {
            turn: TurnKey::from_bytes([1; 16]),
            depth: 0,
            conversation: Name::new("c").unwrap(),
            principal: Principal::Owner,
            at: WallMs(1_700_000_000_000),
            event: Event::Message(Labeled::from_owner("hello")),
        });
        there_and_back(&Outcome {
            turn: TurnKey::none(),
            depth: 9,
            end: End::Answer(Labeled::from_owner("")),
        });
        there_and_back(&Changed::Refused("no".into()));
        there_and_back(&Recalled::Ambiguous(vec![]));
        there_and_back(&Nack::UnknownKind(99));
        there_and_back(&Hello {
            major: 0,
            minor: 1,
            codec: 1,
            role: Role::Memory,
            generation: 3,
            build: "x".into(),
            capabilities: vec!["a".into()],
        });
        for action in examples() {
            let protocol::proposal::Action::Change(change) = action else {
                continue;
            };
            there_and_back(&ChangeRequest {
                turn: TurnKey::none(),
                attempt: 1,
                step: 0,
                conversation: Name::new("c").unwrap(),
                at: WallMs(5),
                today: Day { year: 2026, month: 12, day: 31 },
                time: Clock { hour: 23, minute: 59 },
                change,
            });
        }
    }

    #[test]
    fn golden_bytes_of_a_welcome_are_what_they_were() {
        let welcome = Welcome {
            memex: "/m".into(),
            state: String::new(),
            socket: String::new(),
            zone: "Europe/Berlin".into(),
            faults: vec![],
            outside: String::new(),
            require_sandbox: true,
            memory_mib: 256,
        };
        let golden = b"\x02/m\x00\x00\x0dEurope/Berlin\x00\x00\x01";
        let bincode = Codec::Bincode.encode(&welcome).unwrap();
        assert_eq!(bincode, [&golden[..], b"\xfb\x00\x01"].concat());
        let postcard = Codec::Postcard.encode(&welcome).unwrap();
        assert_eq!(postcard, [&golden[..], b"\x80\x02"].concat());
    }

    #[test]
    fn bytes_behind_a_body_are_refused() {
        for codec in [Codec::Bincode, Codec::Postcard] {
            let mut bytes = codec.encode(&WallMs(7)).unwrap();
            bytes.push(0);
            assert!(matches!(codec.decode::<WallMs>(&bytes), Err(Error::Trailing { left: 1 })));
        }
    }

    #[test]
    fn claimed_length_beyond_a_frame_is_refused_before_it_is_allocated() {
        let mut claim = vec![253];
        claim.extend(u64::MAX.to_le_bytes());
        assert!(Codec::Bincode.decode::<Vec<u64>>(&claim).is_err());
        assert!(Codec::Bincode.decode::<String>(&claim).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_decode_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            for codec in CODECS {
                if let Ok(admit) = codec.decode::<Admit>(&bytes) {
                    prop_assert!(codec.encode(&admit).is_ok());
                }
                drop(codec.decode::<Proposal>(&bytes));
                drop(codec.decode::<Recalled>(&bytes));
            }
        }
    }
}
