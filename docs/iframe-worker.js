/* Search runs in a worker, which browsers refuse to pages opened from a folder; there, an iframe takes its place. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      this.scope = new Promise((resolve) => {
        frame.addEventListener("load", () => {
          const scope = frame.contentWindow;
          scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          const script = scope.document.createElement("script");
          script.addEventListener("load", () => resolve(scope));
          script.src = url;
          scope.document.head.append(script);
        }, { once: true });
      });
      document.documentElement.append(frame);
    }

    async postMessage(data) {
      (await this.scope).dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
