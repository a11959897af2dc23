/* Search runs in a worker, which browsers refuse to pages opened from a folder; there, an iframe takes its place. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.append(frame);
      this.scope = frame.contentWindow;
      this.scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = frame.contentDocument.createElement("script");
      this.ready = new Promise((resolve) => script.addEventListener("load", resolve));
      script.src = url;
      frame.contentDocument.head.append(script);
    }

    async postMessage(data) {
      await this.ready;
      this.scope.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
