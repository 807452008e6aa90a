//! The studio: a page in which people see and work with the graphs, threads and runs of a server.
//!
//! - [`page`] is the page with its files, which are inside the program.
//! - [`PATH`] is where servers have it.
//! - It is a client as any other: it uses the public interface of its server and nothing else.
//!
//! ```
//! use graphloom_server::Server;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::new().demo()?.page(graphloom_studio::PATH, graphloom_studio::page());
//! let address: std::net::SocketAddr = "127.0.0.1:0".parse()?;
//! let running = server.start(address).await?;
//! println!("http://{}{}/", running.address(), graphloom_studio::PATH);
//! # running.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! # The files
//!
//! `bundle/` has the page as it is served. It is made of `page/` by `node build.mjs`, and the same sources give the same bytes.

#![forbid(unsafe_code)]

/// The example of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

use graphloom_server::Page;

/// Where servers have the studio.
pub const PATH: &str = "/studio";

/// The studio, for [`Server::page`](graphloom_server::Server::page).
pub fn page() -> Page {
    Page::new(include_bytes!("../bundle/index.html"))
        .file("studio.js", "text/javascript", include_bytes!("../bundle/studio.js"))
        .file("style.css", "text/css", include_bytes!("../bundle/style.css"))
        .file("icon.svg", "image/svg+xml", include_bytes!("../bundle/icon.svg"))
}
