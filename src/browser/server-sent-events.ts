/** The results in a response of Server-Sent Events, as they arrive. */
export async function* resultsIn(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  for await (const { result } of eventsIn(body)) if (result) yield result
}

/** The results and positions in a response of Server-Sent Events. Either can come alone. */
export async function* eventsIn(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (let text = ''; ; ) {
      const { value, done } = await reader.read()
      if (done) return
      const events = (text + value).split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) {
        const [id, data] = [/^id: (.+)$/m, /^data: (.+)$/m].map((field) => field.exec(event)?.[1])
        yield { id, result: data && JSON.parse(data) }
      }
    }
  } finally {
    await reader.cancel()
  }
}
