//! A server with a tool for every outcome, on rmcp, the official Rust SDK.
//!
//!     outcomes          over stdio
//!     outcomes PORT     over Streamable HTTP at /mcp

use std::time::Duration;

use rmcp::{
    ErrorData, Json, ServerHandler, ServiceExt,
    handler::server::{router::tool::ToolRouter, tool::InputResponses, wrapper::Parameters},
    model::*,
    tool, tool_handler, tool_router,
    transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Serialize, JsonSchema)]
struct Books {
    books: u32,
}

#[derive(Serialize, JsonSchema)]
struct Items {
    items: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Read,
    Lend,
}

#[derive(Deserialize, JsonSchema)]
struct Take {
    count: i64,
    mode: Mode,
}

#[derive(Deserialize, JsonSchema)]
struct Slow {
    ms: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Large {
    kib: usize,
}

struct Shelf {
    tool_router: ToolRouter<Self>,
}

fn refusal() -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text("The shelf is locked.")])
}

#[tool_router]
impl Shelf {
    fn new() -> Self {
        let mut tool_router = Self::tool_router();
        tool_router.disable_route("disabled");
        Self { tool_router }
    }

    #[tool]
    fn text(&self) -> String {
        "The shelf holds 12 books.".into()
    }

    #[tool]
    fn structured(&self) -> Json<Books> {
        Json(Books { books: 12 })
    }

    #[tool]
    fn empty_list(&self) -> Json<Items> {
        Json(Items { items: vec![] })
    }

    #[tool]
    fn blank(&self) -> String {
        String::new()
    }

    #[tool]
    fn take(&self, Parameters(Take { count, mode }): Parameters<Take>) -> String {
        match mode {
            Mode::Read => format!("read {count}"),
            Mode::Lend => format!("lend {count}"),
        }
    }

    #[tool]
    fn disabled(&self) -> String {
        "never".into()
    }

    #[tool]
    fn refuse(&self) -> Result<String, String> {
        Err("The shelf is locked.".into())
    }

    #[tool]
    fn named(&self) -> CallToolResult {
        let mut result = refusal();
        result.meta = serde_json::from_value(json!({"umpire/errorType": "ShelfLocked"})).ok();
        result
    }

    #[tool]
    fn refuse_code(&self) -> Result<String, ErrorData> {
        Err(ErrorData::new(ErrorCode(-32011), "closed on Mondays", None))
    }

    /// What a Rust server has for an exception: an internal error.
    #[tool]
    fn throw(&self) -> Result<String, ErrorData> {
        Err(ErrorData::internal_error("the ladder broke", None))
    }

    /// A panic ends its task: there is never a reply.
    #[tool]
    async fn bug(&self) -> String {
        let titles: Vec<String> = vec![];
        titles[std::hint::black_box(3)].clone()
    }

    #[tool]
    fn no_result(&self) -> CallToolResult {
        CallToolResult::success(vec![])
    }

    #[tool(output_schema = std::sync::Arc::new(
        json!({"type": "object", "properties": {"books": {"type": "integer"}}}).as_object().unwrap().clone()))]
    fn bad_output(&self) -> CallToolResult {
        CallToolResult::structured(json!({"books": "many"}))
    }

    #[tool]
    async fn slow(&self, Parameters(Slow { ms }): Parameters<Slow>) -> String {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        "done at last".into()
    }

    #[tool]
    fn large(&self, Parameters(Large { kib }): Parameters<Large>) -> String {
        "book ".repeat(kib * 1024 / 5)
    }

    #[tool]
    async fn ask(&self, InputResponses(given): InputResponses) -> Result<CallToolResponse, ErrorData> {
        if given.is_some_and(|given| given.contains_key("sure")) {
            return Ok(CallToolResult::success(vec![ContentBlock::text("lent")]).into());
        }
        let requested_schema = serde_json::from_value(
            json!({"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}),
        )
        .expect("a schema");
        let params = ElicitRequestParams::FormElicitationParams { meta: None, message: "Lend the last book?".into(), requested_schema };
        let mut requests = InputRequests::new();
        requests.insert("sure".into(), InputRequest::Elicitation(ElicitRequest::new(params)));
        Ok(InputRequiredResult::new(Some(requests), None).into())
    }

    #[tool]
    async fn silent(&self) -> String {
        std::future::pending().await
    }

    #[tool]
    fn exit(&self) -> String {
        std::process::exit(3)
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Shelf {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("outcomes", "1.0.0"))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(port) = std::env::args().nth(1) else {
        let running = Shelf::new().serve(rmcp::transport::stdio()).await?;
        running.waiting().await?;
        return Ok(());
    };
    let service: StreamableHttpService<Shelf, LocalSessionManager> =
        StreamableHttpService::new(|| Ok(Shelf::new()), Default::default(), StreamableHttpServerConfig::default());
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
