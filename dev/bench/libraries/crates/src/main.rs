//! Does the tasks of `npm run bench -- libraries` with the library in LIBRARY, with its documented retry if RETRY is "on".

use std::{env, time::Duration};

use reqwest::{Client, Method};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};
use reqwest_retry::{RetryTransientMiddleware, policies::ExponentialBackoff};
use serde_json::{Value, json};

enum Library {
    Reqwest(ClientWithMiddleware),
    Ureq(ureq::Agent),
}

fn library() -> Library {
    let is_on = env::var("RETRY").unwrap() == "on";
    match env::var("LIBRARY").unwrap().as_str() {
        "ureq" => Library::Ureq(
            ureq::Agent::config_builder().http_status_as_error(false).build().into(),
        ),
        "reqwest" if is_on => {
            let retry = reqwest::retry::for_host("127.0.0.1").max_retries_per_request(5).classify_fn(|attempt| {
                match attempt.status().map(|status| status.as_u16()) {
                    Some(429 | 502 | 504) => attempt.retryable(),
                    _ => attempt.success(),
                }
            });
            Library::Reqwest(ClientBuilder::new(Client::builder().retry(retry).build().unwrap()).build())
        }
        "reqwest-retry" if is_on => {
            let policy = ExponentialBackoff::builder().build_with_max_retries(5);
            let middleware = RetryTransientMiddleware::new_with_policy(policy);
            Library::Reqwest(ClientBuilder::new(Client::new()).with(middleware).build())
        }
        _ => Library::Reqwest(ClientBuilder::new(Client::new()).build()),
    }
}

async fn send(library: &Library, method: &str, url: &str, body: Option<String>) -> u16 {
    let key = env::var("SHELFCHECK_API_KEY").unwrap();
    match library {
        Library::Reqwest(client) => {
            let request = client
                .request(Method::from_bytes(method.as_bytes()).unwrap(), url)
                .header("X-Api-Key", key)
                .header("Content-Type", "application/json");
            let request = match body {
                Some(text) => request.body(text),
                None => request,
            };
            request.send().await.map_or(0, |response| response.status().as_u16())
        }
        Library::Ureq(agent) => {
            let sent = match body {
                Some(text) => agent
                    .post(url)
                    .header("X-Api-Key", key)
                    .header("Content-Type", "application/json")
                    .send(text),
                None => agent.get(url).header("X-Api-Key", key).call(),
            };
            sent.map_or(0, |response| response.status().as_u16())
        }
    }
}

fn escaped(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => (byte as char).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

async fn ask(library: &Library, method: &str, path: &str, body: Option<String>) {
    let url = env::var("SHELFCHECK_BASE_URL").unwrap() + path;
    let status = send(library, method, &url, body).await;
    // A request that failed is given up, and what follows waits until every limit is over.
    if status != 200 && status != 404 {
        tokio::time::sleep(Duration::from_secs(6)).await;
    }
}

#[tokio::main]
async fn main() {
    let library = library();
    let document: Value = serde_json::from_str(&env::var("SHELFCHECK_TASK").unwrap()).unwrap();
    let none = vec![];
    for task in document["tasks"].as_array().unwrap() {
        for product in task["products"].as_array().unwrap_or(&none) {
            let text = |name: &str| escaped(product[name].as_str().unwrap());
            let by = product["by"].as_str().unwrap();
            let path = match by {
                "id" => format!("/products/{}/{}", text("retailer"), text("product_id")),
                _ => format!("/products?{by}={}", text(by)),
            };
            ask(&library, "GET", &path, None).await;
        }
        for items in task["items"].as_array().unwrap_or(&none).chunks(50) {
            let body = json!({ "items": items }).to_string();
            ask(&library, "POST", "/products/batch-lookup", Some(body)).await;
        }
    }
}
