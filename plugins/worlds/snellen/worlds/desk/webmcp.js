// Gives an environment's tools to the browser (WebMCP, https://webmachinelearning.github.io/webmcp/):
// a call is sent to the page's address, and its answer is the tool's.
(tools) => {
  const context = document.modelContext ?? navigator.modelContext;
  const here = location.pathname.replace(/\/$/, "");
  const call = async (tool, given) => {
    const answer = await fetch(`${here}/call`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ tool, arguments: given }),
    });
    return { content: [{ type: "text", text: await answer.text() }] };
  };
  document.getElementById("said").textContent = context
    ? `This page has ${tools.length} tools.`
    : "This page's tools need a browser with WebMCP.";
  for (const tool of context ? tools : [])
    context.registerTool({ ...tool, execute: (given) => call(tool.name, given) });
}
