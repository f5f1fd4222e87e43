package outcomes;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * A server with a tool for every outcome, on the MCP SDK for Java: over stdio, or with a port as its
 * argument over Streamable HTTP, with sessions, at /mcp.
 */
public final class Main {
  // As text: the order of a Map.of is another one in each process.
  private static final String NOTHING = "{\"type\":\"object\",\"properties\":{}}";
  private static final String BOOKS = needs("books");
  private static final String TAKE =
      """
      {"type":"object","properties":{"count":{"type":"integer"},"mode":{"type":"string","enum":["read","lend"]}},
       "required":["count","mode"]}""";
  private static final McpJsonMapper MAPPER = McpJsonDefaults.getMapper();

  public static void main(String[] args) throws Exception {
    if (args.length == 0) {
      serve(McpServer.sync(new StdioServerTransportProvider(MAPPER))).build();
      return;
    }
    var transport =
        HttpServletStreamableServerTransportProvider.builder().jsonMapper(MAPPER).mcpEndpoint("/mcp").build();
    serve(McpServer.sync(transport)).build();
    var jetty = new Server();
    var connector = new ServerConnector(jetty);
    connector.setHost("127.0.0.1");
    connector.setPort(Integer.parseInt(args[0]));
    jetty.addConnector(connector);
    var context = new ServletContextHandler();
    var holder = new ServletHolder(transport);
    holder.setAsyncSupported(true);
    context.addServlet(holder, "/mcp");
    jetty.setHandler(context);
    jetty.start();
    jetty.join();
  }

  private static McpServer.SyncSpecification<?> serve(McpServer.SyncSpecification<?> server) {
    server.serverInfo("outcomes", "1.0.0").capabilities(ServerCapabilities.builder().tools(false).build());
    add(server, "text", NOTHING, null, in -> text("The shelf holds 12 books."));
    add(server, "structured", NOTHING, BOOKS, in -> both(Map.of("books", 12)));
    add(server, "empty_list", NOTHING, null, in -> both(Map.of("items", List.of())));
    add(server, "blank", NOTHING, null, in -> text(""));
    add(server, "take", TAKE, null, in -> text(in.get("mode") + " " + in.get("count")));
    add(server, "refuse", NOTHING, null, in -> refusal().build());
    add(server, "named", NOTHING, null, in -> refusal().meta(Map.of("umpire/errorType", "ShelfLocked")).build());
    add(server, "refuse_code", NOTHING, null, in -> {
      throw McpError.builder(-32011).message("closed on Mondays").build();
    });
    add(server, "throw", NOTHING, null, in -> {
      throw new IllegalStateException("the ladder broke");
    });
    add(server, "bug", NOTHING, null, in -> {
      String shelf = (String) in.get("shelf");
      return text(shelf.trim());
    });
    add(server, "no_result", NOTHING, null, in -> null);
    add(server, "bad_output", NOTHING, BOOKS, in -> both(Map.of("books", "many")));
    add(server, "slow", needs("ms"), null, in -> {
      sleep(((Number) in.get("ms")).longValue());
      return text("done at last");
    });
    add(server, "large", needs("kib"), null,
        in -> text("book ".repeat(((Number) in.get("kib")).intValue() * 1024 / 5)));
    add(server, "silent", NOTHING, null, in -> {
      sleep(Long.MAX_VALUE);
      return text("never");
    });
    add(server, "exit", NOTHING, null, in -> {
      Runtime.getRuntime().halt(3);
      return text("never");
    });
    return server;
  }

  private static void add(
      McpServer.SyncSpecification<?> server,
      String name,
      String input,
      String output,
      Function<Map<String, Object>, CallToolResult> handler) {
    var tool = Tool.builder().name(name).description("The outcome " + name + ".").inputSchema(MAPPER, input);
    if (output != null) {
      tool.outputSchema(MAPPER, output);
    }
    server.toolCall(tool.build(), (exchange, request) -> handler.apply(request.arguments()));
  }

  private static String needs(String name) {
    return """
        {"type":"object","properties":{"%s":{"type":"integer"}},"required":["%s"]}"""
        .formatted(name, name);
  }

  private static CallToolResult text(String text) {
    return CallToolResult.builder().addTextContent(text).build();
  }

  private static CallToolResult both(Map<String, Object> structured) {
    return CallToolResult.builder().structuredContent(structured).build();
  }

  private static CallToolResult.Builder refusal() {
    return CallToolResult.builder().addTextContent("The shelf is locked.").isError(true);
  }

  private static void sleep(long ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
