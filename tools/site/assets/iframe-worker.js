/* Pages opened from a folder may start no worker, which the search needs: a hidden frame does its work there. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.onmessage = null
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      this.ready = new Promise(resolve => this.frame.addEventListener("load", resolve))
      this.frame.srcdoc =
        "<script>" +
        "postMessage = data => parent.postMessage({worker: name, data});" +
        "importScripts = (...urls) => Promise.all(urls.map(url => new Promise(done => {" +
        "const script = document.createElement('script'); script.src = url; script.onload = done;" +
        "document.head.append(script)})));" +
        "</" + "script><script src='" + url + "'></" + "script>"
      this.frame.name = "worker" + Math.random()
      addEventListener("message", event => {
        if (event.source !== this.frame.contentWindow) return
        const told = new MessageEvent("message", { data: event.data.data })
        this.dispatchEvent(told)
        if (this.onmessage) this.onmessage(told)
      })
      document.body.append(this.frame)
    }
    postMessage(data) {
      this.ready.then(() =>
        this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })))
    }
    terminate() {
      this.frame.remove()
    }
  }
}
