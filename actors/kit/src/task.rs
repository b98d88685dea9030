//! Background tasks that cannot die unseen.

/// Starts a task under a name. A task that panics ends the process: what is left would only look alive.
#[expect(clippy::disallowed_methods, reason = "this is the one legal place")]
pub fn spawn<F>(name: &'static str, future: F) -> tokio::task::AbortHandle
where
    F: Future<Output = ()> + Send + 'static,
{
    let task = tokio::spawn(future);
    let handle = task.abort_handle();
    tokio::spawn(async move {
        if let Err(error) = task.await
            && error.is_panic()
        {
            tracing::error!(task = name, "task panicked");
            std::process::abort();
        }
    });
    handle
}
