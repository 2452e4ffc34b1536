import feign.Feign;
import feign.FeignException;
import feign.Headers;
import feign.RequestLine;
import feign.Retryer;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import kong.unirest.core.Unirest;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import org.apache.hc.client5.http.impl.DefaultHttpRequestRetryStrategy;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;
import org.apache.hc.core5.util.TimeValue;
import org.json.JSONArray;
import org.json.JSONObject;

/** Does the tasks of `npm run bench -- libraries` with the library in LIBRARY, with its documented retry if RETRY is "on". */
public class LibraryClient {
  interface Send {
    int status(String method, String url, String body) throws Exception;
  }

  static final String KEY = System.getenv("SHELFCHECK_API_KEY");
  static final boolean IS_ON = "on".equals(System.getenv("RETRY"));

  static Send javaNetHttp() {
    HttpClient client = HttpClient.newHttpClient();
    return (method, url, body) -> {
      var request = HttpRequest.newBuilder(URI.create(url)).header("X-Api-Key", KEY);
      if (body == null) request.GET();
      else request.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body));
      return client.send(request.build(), BodyHandlers.discarding()).statusCode();
    };
  }

  static Send okhttp() {
    OkHttpClient client = new OkHttpClient();
    return (method, url, body) -> {
      var request = new Request.Builder().url(url).header("X-Api-Key", KEY);
      if (body != null) request.post(RequestBody.create(body, MediaType.get("application/json")));
      try (var response = client.newCall(request.build()).execute()) {
        return response.code();
      }
    };
  }

  static Send apache() {
    var builder = HttpClientBuilder.create();
    if (IS_ON) builder.setRetryStrategy(new DefaultHttpRequestRetryStrategy(5, TimeValue.ofSeconds(1)));
    var client = builder.build();
    return (method, url, body) -> {
      var request = ClassicRequestBuilder.create(method).setUri(url).setHeader("X-Api-Key", KEY);
      if (body != null) request.setEntity(body, ContentType.APPLICATION_JSON);
      return client.execute(request.build(), response -> response.getCode());
    };
  }

  interface Api {
    @RequestLine("GET")
    String get(URI url);

    @RequestLine("POST")
    @Headers("Content-Type: application/json")
    String post(URI url, String body);
  }

  static Send feign() {
    var builder = Feign.builder().requestInterceptor(template -> template.header("X-Api-Key", KEY));
    // By default it retries what its error decoder finds a Retry-After in.
    if (IS_ON) builder.retryer(new Retryer.Default(100, 10_000, 5));
    var api = builder.target(feign.Target.EmptyTarget.create(Api.class));
    return (method, url, body) -> {
      try {
        if (body == null) api.get(URI.create(url));
        else api.post(URI.create(url), body);
        return 200;
      } catch (FeignException error) {
        return error.status();
      }
    };
  }

  static Send unirest() {
    var client = Unirest.spawnInstance();
    if (IS_ON) client.config().retryAfter(true);
    return (method, url, body) ->
        client
            .request(method, url)
            .header("X-Api-Key", KEY)
            .header("Content-Type", "application/json")
            .body(body == null ? "" : body)
            .asEmpty()
            .getStatus();
  }

  static final Map<String, java.util.function.Supplier<Send>> LIBRARIES =
      Map.of(
          "java.net.http", LibraryClient::javaNetHttp,
          "okhttp", LibraryClient::okhttp,
          "httpclient5", LibraryClient::apache,
          "feign-core", LibraryClient::feign,
          "unirest-java", LibraryClient::unirest);

  static Send send = LIBRARIES.get(System.getenv("LIBRARY")).get();

  /** A request that failed is given up, and what follows waits until every limit is over. */
  static void ask(String method, String path, String body) throws InterruptedException {
    int status = 0;
    try {
      status = send.status(method, System.getenv("SHELFCHECK_BASE_URL") + path, body);
    } catch (Exception error) {
      // It counts as a failure.
    }
    if (status != 200 && status != 404) Thread.sleep(6000);
  }

  static String escaped(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  static List<Object> listIn(JSONObject task, String name) {
    return task.has(name) ? task.getJSONArray(name).toList() : List.of();
  }

  public static void main(String[] args) throws Exception {
    for (Object one : new JSONObject(System.getenv("SHELFCHECK_TASK")).getJSONArray("tasks")) {
      JSONObject task = (JSONObject) one;
      for (Object each : listIn(task, "products")) {
        @SuppressWarnings("unchecked")
        Map<String, String> product = (Map<String, String>) each;
        String by = product.get("by");
        ask(
            "GET",
            by.equals("id")
                ? "/products/" + escaped(product.get("retailer")) + "/" + escaped(product.get("product_id"))
                : "/products?" + by + "=" + escaped(product.get(by)),
            null);
      }
      List<Object> items = listIn(task, "items");
      for (int at = 0; at < items.size(); at += 50) {
        var part = new JSONArray(items.subList(at, Math.min(at + 50, items.size())));
        ask("POST", "/products/batch-lookup", new JSONObject().put("items", part).toString());
      }
    }
    System.exit(0);
  }
}
