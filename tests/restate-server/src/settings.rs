//! How the engine of a test is set up: one node, little memory, nothing told to anybody.

use std::net::IpAddr;
use std::time::Duration;

/// Where the engine listens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ports {
    pub(crate) ip: IpAddr,
    pub(crate) ingress: u16,
    pub(crate) admin: u16,
    pub(crate) node: u16,
}

/// The settings of an engine on these ports, which asks a connection to a worker that has said nothing for this time, and gives it up
/// when it says nothing for as long again.
pub(crate) fn settings(ports: &Ports, silence: Duration) -> String {
    let Ports { ip, ingress, admin, node } = ports;
    let silence = silence.as_secs();
    format!(
        r#"
roles = ["http-ingress", "admin", "worker", "log-server", "metadata-server"]
cluster-name = "test-{node}"
node-name = "test"
auto-provision = true
default-num-partitions = 4
bind-ip = "{ip}"
bind-port = {node}
advertised-address = "http://{ip}:{node}"
disable-telemetry = true
log-filter = "warn,restate=info"
log-format = "compact"
log-disable-ansi-codes = true
rocksdb-total-memory-size = "256 MiB"
shutdown-timeout = "5s"

[metadata-client]
type = "replicated"
addresses = ["http://{ip}:{node}"]

[worker.invoker]
memory-limit = "256 MiB"
http2-keep-alive-interval = "{silence}s"
http2-keep-alive-timeout = "{silence}s"

[admin]
bind-port = {admin}

[admin.query-engine]
memory-size = "128 MiB"

[ingress]
bind-port = {ingress}

[bifrost]
record-cache-memory-size = "32 MiB"
"#
    )
}
