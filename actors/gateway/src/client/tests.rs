//! One client's task on a pair of sockets, without the rest of the gateway.

use super::*;
use tokio::sync::mpsc::channel;

/// Long enough for anything that happens at all.
const DEADLINE: Duration = Duration::from_secs(20);

async fn soon<T>(future: impl Future<Output = T>) -> T {
    timeout(DEADLINE, future).await.expect("in time")
}

struct Bench {
    peer: UnixStream,
    notes: Receiver<Note>,
    words: Sender<Server>,
}

fn bench(patience: Duration) -> Bench {
    let (stream, peer) = UnixStream::pair().unwrap();
    let (note, notes) = channel(64);
    let (words, told) = channel(ROOM);
    let connection = Connection { id: ClientId(1), stream, notes: note, words: told, patience };
    kit::task::spawn("client", serve(connection));
    Bench { peer, notes, words }
}

fn answer() -> Server {
    Server::Answer { turn: TurnKey::none().to_string(), message: String::new(), text: "x".repeat(90_000) }
}

#[tokio::test]
async fn client_that_takes_nothing_up_is_dropped_in_either_dialect() {
    for first in [b"\x00", b"\n"] {
        let mut bench = bench(Duration::from_millis(50));
        bench.peer.write_all(first).await.unwrap();
        for _ in 0..8 {
            bench.words.send(answer()).await.unwrap();
        }
        let left = async {
            while let Some(note) = bench.notes.recv().await {
                if matches!(note, Note::Left(ClientId(1))) {
                    return;
                }
            }
            panic!("not dropped");
        };
        soon(left).await;
    }
}

#[tokio::test]
async fn nothing_more_is_read_from_a_client_that_is_owed_much() {
    let mut bench = bench(WRITE);
    let pings = "000015(:TYPE :HEALTH-CHECK)".repeat(OWED_MAX * 3);
    bench.peer.write_all(pings.as_bytes()).await.unwrap();
    for _ in 0..OWED_MAX {
        assert!(matches!(soon(bench.notes.recv()).await, Some(Note::Heard(_, Said::Ping))));
    }
    assert!(bench.notes.try_recv().is_err());
    for _ in 0..OWED_MAX * 2 {
        bench.words.send(Server::Pong).await.unwrap();
        assert!(matches!(soon(bench.notes.recv()).await, Some(Note::Heard(_, Said::Ping))));
    }
}
