/** The results in a response of Server-Sent Events, as they arrive. */
export async function* resultsIn(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (let text = ''; ; ) {
      const { value, done } = await reader.read()
      if (done) return
      const events = (text + value).split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) {
        const [, data] = /^data: (.+)$/m.exec(event) ?? []
        if (data !== undefined) yield JSON.parse(data)
      }
    }
  } finally {
    await reader.cancel()
  }
}
